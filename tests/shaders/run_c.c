// Runs philox.c on the cases of stdin, as run_spirv.c does: run FUNCTION < cases > results

#include "philox.c"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int main(int count_of_arguments, char **arguments) {
    int is_uniform = count_of_arguments == 2 && strcmp(arguments[1], "uniform_float32") == 0;
    uint32_t count, state[6], bits[2];
    while (scanf("%u %u %u %u %u %u %u %u %u", &count, &bits[0], &bits[1], &state[0], &state[1], &state[2], &state[3],
                 &state[4], &state[5]) == 9) {
        uint32_t *values = (uint32_t *)malloc(4 * (size_t)count);
        float range[2];
        memcpy(range, bits, sizeof range);
        if (is_uniform)
            philox_uniform(state, range[0], range[1], (float *)values, count);
        else
            philox_words(state, values, count);
        fwrite(values, 4, count, stdout);
        fwrite(state, 4, 6, stdout);
        free(values);
    }
    return 0;
}
