// Runs a compute shader of dmlrand by Vulkan: run_spirv SHADER.spv ENTRY_POINT < cases > results
//
// A case is a line: count, the bits of low and of high, six words of state. The result has `count` words and the new state.
// A draw of more than PIECE words is several dispatches, each from the new state of the one before.

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <vulkan/vulkan.h>

#define PIECE (1u << 22)
#define GROUPS 31 // fewer than most pieces have blocks, so that an invocation makes several
#define GUARDS 8  // words behind a piece that must stay unwritten
#define GUARD 0xCDCDCDCDu
#define BUFFERS 4 // draw, state, values, new state
#define CHECK(call) check((call) == VK_SUCCESS, #call)

static VkDevice device;
static VkPhysicalDevice physical;
static const VkDeviceSize sizes[BUFFERS] = {16, 24, 4 * (PIECE + GUARDS), 24};

static void check(int holds, const char *what) {
    if (!holds) {
        fprintf(stderr, "failed: %s\n", what);
        exit(1);
    }
}

static uint32_t *make_buffer(int number, VkBuffer *buffer) {
    VkBufferUsageFlags usage = number ? VK_BUFFER_USAGE_STORAGE_BUFFER_BIT : VK_BUFFER_USAGE_UNIFORM_BUFFER_BIT;
    VkBufferCreateInfo info = {VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO, .size = sizes[number], .usage = usage};
    CHECK(vkCreateBuffer(device, &info, NULL, buffer));
    VkMemoryRequirements needs;
    vkGetBufferMemoryRequirements(device, *buffer, &needs);
    VkPhysicalDeviceMemoryProperties memories;
    vkGetPhysicalDeviceMemoryProperties(physical, &memories);
    uint32_t type = 0, host = VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT | VK_MEMORY_PROPERTY_HOST_COHERENT_BIT;
    while (!(needs.memoryTypeBits >> type & 1) || (memories.memoryTypes[type].propertyFlags & host) != host)
        check(++type < memories.memoryTypeCount, "memory of the host");
    VkMemoryAllocateInfo allocation = {VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO, NULL, needs.size, type};
    VkDeviceMemory memory;
    void *words;
    CHECK(vkAllocateMemory(device, &allocation, NULL, &memory));
    CHECK(vkBindBufferMemory(device, *buffer, memory, 0));
    CHECK(vkMapMemory(device, memory, 0, VK_WHOLE_SIZE, 0, &words));
    return words;
}

static VkShaderModule read_shader(const char *path) {
    static uint32_t code[1 << 16];
    FILE *file = fopen(path, "rb");
    check(file != NULL, path);
    size_t words = fread(code, 4, 1 << 16, file);
    VkShaderModuleCreateInfo info = {VK_STRUCTURE_TYPE_SHADER_MODULE_CREATE_INFO, NULL, 0, 4 * words, code};
    VkShaderModule shader;
    CHECK(vkCreateShaderModule(device, &info, NULL, &shader));
    return shader;
}

int main(int count_of_arguments, char **arguments) {
    check(count_of_arguments == 3, "two arguments");
    VkApplicationInfo application = {VK_STRUCTURE_TYPE_APPLICATION_INFO, .apiVersion = VK_API_VERSION_1_1};
    VkInstanceCreateInfo instance_info = {VK_STRUCTURE_TYPE_INSTANCE_CREATE_INFO, .pApplicationInfo = &application};
    VkInstance instance;
    CHECK(vkCreateInstance(&instance_info, NULL, &instance));
    uint32_t one = 1;
    check(vkEnumeratePhysicalDevices(instance, &one, &physical) >= 0 && one == 1, "a device");
    float priority = 1;
    VkDeviceQueueCreateInfo queue_info = {
        VK_STRUCTURE_TYPE_DEVICE_QUEUE_CREATE_INFO, .queueCount = 1, .pQueuePriorities = &priority};
    VkDeviceCreateInfo device_info = {
        VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO, .queueCreateInfoCount = 1, .pQueueCreateInfos = &queue_info};
    CHECK(vkCreateDevice(physical, &device_info, NULL, &device));
    VkQueue queue;
    vkGetDeviceQueue(device, 0, 0, &queue);

    // The bindings of the shader, a set of them with the buffers, and the pipeline.
    VkDescriptorSetLayoutBinding bindings[BUFFERS];
    for (uint32_t i = 0; i < BUFFERS; i++) {
        VkDescriptorType type = i ? VK_DESCRIPTOR_TYPE_STORAGE_BUFFER : VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER;
        bindings[i] = (VkDescriptorSetLayoutBinding){i, type, 1, VK_SHADER_STAGE_COMPUTE_BIT, NULL};
    }
    VkDescriptorSetLayoutCreateInfo set_info = {
        VK_STRUCTURE_TYPE_DESCRIPTOR_SET_LAYOUT_CREATE_INFO, NULL, 0, BUFFERS, bindings};
    VkDescriptorSetLayout set_layout;
    CHECK(vkCreateDescriptorSetLayout(device, &set_info, NULL, &set_layout));
    VkPipelineLayoutCreateInfo layout_info = {
        VK_STRUCTURE_TYPE_PIPELINE_LAYOUT_CREATE_INFO, .setLayoutCount = 1, .pSetLayouts = &set_layout};
    VkPipelineLayout layout;
    CHECK(vkCreatePipelineLayout(device, &layout_info, NULL, &layout));
    VkComputePipelineCreateInfo pipeline_info = {VK_STRUCTURE_TYPE_COMPUTE_PIPELINE_CREATE_INFO, .layout = layout};
    pipeline_info.stage = (VkPipelineShaderStageCreateInfo){
        VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO, .stage = VK_SHADER_STAGE_COMPUTE_BIT,
        .module = read_shader(arguments[1]), .pName = arguments[2]};
    VkPipeline pipeline;
    CHECK(vkCreateComputePipelines(device, VK_NULL_HANDLE, 1, &pipeline_info, NULL, &pipeline));
    VkDescriptorPoolSize pool_sizes[2] = {
        {VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER, 1}, {VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, BUFFERS - 1}};
    VkDescriptorPoolCreateInfo pool_info = {
        VK_STRUCTURE_TYPE_DESCRIPTOR_POOL_CREATE_INFO, NULL, 0, 1, 2, pool_sizes};
    VkDescriptorPool pool;
    CHECK(vkCreateDescriptorPool(device, &pool_info, NULL, &pool));
    VkDescriptorSetAllocateInfo set_allocation = {
        VK_STRUCTURE_TYPE_DESCRIPTOR_SET_ALLOCATE_INFO, NULL, pool, 1, &set_layout};
    VkDescriptorSet set;
    CHECK(vkAllocateDescriptorSets(device, &set_allocation, &set));
    uint32_t *memory[BUFFERS];
    for (uint32_t i = 0; i < BUFFERS; i++) {
        VkDescriptorBufferInfo buffer = {NULL, 0, sizes[i]};
        memory[i] = make_buffer((int)i, &buffer.buffer);
        VkWriteDescriptorSet write = {VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET, NULL, set, i, 0, 1,
                                      bindings[i].descriptorType, NULL, &buffer, NULL};
        vkUpdateDescriptorSets(device, 1, &write, 0, NULL);
    }

    // One dispatch, which is submitted again and again.
    VkCommandPoolCreateInfo commands_info = {VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO};
    VkCommandPool commands;
    CHECK(vkCreateCommandPool(device, &commands_info, NULL, &commands));
    VkCommandBufferAllocateInfo command_info = {
        VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO, NULL, commands, VK_COMMAND_BUFFER_LEVEL_PRIMARY, 1};
    VkCommandBuffer command;
    CHECK(vkAllocateCommandBuffers(device, &command_info, &command));
    VkCommandBufferBeginInfo begin = {VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO};
    CHECK(vkBeginCommandBuffer(command, &begin));
    vkCmdBindPipeline(command, VK_PIPELINE_BIND_POINT_COMPUTE, pipeline);
    vkCmdBindDescriptorSets(command, VK_PIPELINE_BIND_POINT_COMPUTE, layout, 0, 1, &set, 0, NULL);
    vkCmdDispatch(command, GROUPS, 1, 1);
    CHECK(vkEndCommandBuffer(command));
    VkSubmitInfo submit = {VK_STRUCTURE_TYPE_SUBMIT_INFO, .commandBufferCount = 1, .pCommandBuffers = &command};

    uint32_t count, *draw = memory[0], *state = memory[1], *values = memory[2], *after = memory[3];
    float *range = (float *)draw;
    while (scanf("%u %u %u %u %u %u %u %u %u", &count, &draw[2], &draw[3], &state[0], &state[1], &state[2], &state[3],
                 &state[4], &state[5]) == 9) {
        range[3] -= range[2]; // width
        for (uint32_t left = count; left > 0; left -= draw[0]) {
            draw[0] = left < PIECE ? left : PIECE;
            draw[1] = 64 * GROUPS;
            for (uint32_t i = 0; i < draw[0] + GUARDS; i++)
                values[i] = GUARD;
            CHECK(vkQueueSubmit(queue, 1, &submit, VK_NULL_HANDLE));
            CHECK(vkQueueWaitIdle(queue));
            for (uint32_t i = 0; i < GUARDS; i++)
                check(values[draw[0] + i] == GUARD, "no word behind the draw is written");
            fwrite(values, 4, draw[0], stdout);
            for (int word = 0; word < 6; word++)
                state[word] = after[word];
        }
        fwrite(state, 4, 6, stdout);
    }
    return 0;
}
