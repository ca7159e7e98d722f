/* Run every case of this kit with the function `draw`, and write the folder outputs, which must exist.

   Replace the body of `draw` by a call of your generator. As it stands, it calls the text that
   `dmlrand shader --language c` prints, which is below, so that the kit passes.
   In the folder of the kit:

       mkdir -p outputs && cc -O2 -o harness harness.c && ./harness && dmlrand conformance check .

   The files hold the words in the byte order of this machine, which must be little-endian. */

#include <inttypes.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

@philox.c@
#define UNWRITTEN 0xCDCDCDCDu /* in words of a buffer that belong to no element */
#define MAX_RANK 8

/* Store `count` words of the stream of `state` in `words`, and the new state in `state`. */
static void draw(uint32_t state[6], uint32_t *words, uint64_t count)
{
    philox_words(state, words, count);
}

static void fail(const char *what, const char *name)
{
    fprintf(stderr, "%s: %s\n", what, name);
    exit(1);
}

static void *allocate(uint64_t words)
{
    void *memory = malloc(words * sizeof(uint32_t));
    if (memory == NULL)
        fail("out of memory", "harness");
    return memory;
}

static void store(const char *name, const char *what, int number, const uint32_t *buffer, uint64_t words)
{
    char path[256];
    snprintf(path, sizeof path, "outputs/%s.%s-%d.bin", name, what, number);
    FILE *file = fopen(path, "wb");
    if (file == NULL || fwrite(buffer, sizeof *buffer, words, file) != words || fclose(file) != 0)
        fail("cannot write", path);
}

static uint64_t number_from(FILE *cases)
{
    uint64_t number;
    if (fscanf(cases, "%" SCNu64, &number) != 1)
        fail("not a case", "cases.txt");
    return number;
}

int main(void)
{
    char name[128];
    FILE *cases = fopen("cases.txt", "r");
    if (cases == NULL)
        fail("cannot read", "cases.txt");
    while (fscanf(cases, "%127s", name) == 1) {
        if (name[0] == '#') { /* a comment */
            for (int c = 0; c != '\n' && c != EOF;)
                c = fgetc(cases);
            continue;
        }
        int draws = (int)number_from(cases);
        uint64_t values_words = number_from(cases), state_stride = number_from(cases);
        int stores_state = (int)number_from(cases);
        uint32_t state[6];
        for (int word = 0; word < 6; word++)
            state[word] = (uint32_t)number_from(cases);
        int rank = (int)number_from(cases);
        uint64_t sizes[MAX_RANK], strides[MAX_RANK], count = 1;
        for (int axis = 0; axis < rank; axis++)
            count *= sizes[axis] = number_from(cases);
        for (int axis = 0; axis < rank; axis++)
            strides[axis] = number_from(cases);
        puts(name);
        uint32_t *words = allocate(count), *values = allocate(values_words), *stored = allocate(5 * state_stride + 1);
        for (int number = 1; number <= draws; number++) {
            draw(state, words, count);
            for (uint64_t i = 0; i < values_words; i++)
                values[i] = UNWRITTEN;
            for (uint64_t i = 0; i < count; i++) {
                uint64_t rest = i, place = 0;
                for (int axis = rank - 1; axis >= 0; axis--) {
                    place += rest % sizes[axis] * strides[axis];
                    rest /= sizes[axis];
                }
                values[place] = words[i];
            }
            store(name, "values", number, values, values_words);
            for (uint64_t i = 0; i <= 5 * state_stride; i++)
                stored[i] = i % state_stride ? UNWRITTEN : state[i / state_stride];
            if (stores_state)
                store(name, "state", number, stored, 5 * state_stride + 1);
        }
        free(words);
        free(values);
        free(stored);
    }
    return 0;
}
