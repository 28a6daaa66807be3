// SPDX-License-Identifier: Apache-2.0
/* Devices are found by the names that drivers report, and a similar name does not match another device. */
#include "flops/core/devices.h"

#include "support.h"

static double tera_of(const char *name, double gb, tfp_float_type type)
{
    const tfp_device_peaks *d = tfp_device_find(tfp_str_of(name), (int64_t)(gb * 1e9));
    return d ? d->tera[type] : -1;
}

static void devices_are_found_by_words_of_their_names(void **state)
{
    (void)state;
    assert_true(tera_of("NVIDIA A100-SXM4-80GB", 85, TFP_FLOAT_BF16) == 312);
    assert_true(tera_of("NVIDIA A10", 24, TFP_FLOAT_TF32) == 62.5);
    assert_true(tera_of("NVIDIA H100 80GB HBM3", 85, TFP_FLOAT_FP8) == 1979);
    assert_true(tera_of("NVIDIA H100 PCIe", 85, TFP_FLOAT_BF16) == 756.5);
    assert_true(tera_of("NVIDIA H800", 85, TFP_FLOAT_BF16) == 989.5);
    assert_true(tera_of("NVIDIA L40S", 48, TFP_FLOAT_FP32) == 91.6);
    assert_true(tera_of("AMD Instinct MI300X", 206, TFP_FLOAT_BF16) == 1307.4);
    assert_true(tera_of("Tesla T4", 16, TFP_FLOAT_BF16) == 0);
}

static void memory_tells_cards_of_one_name_apart(void **state)
{
    (void)state;
    assert_true(tfp_device_find(TFP_STR("NVIDIA A100-PG509-200"), INT64_C(42505273344))->bandwidth == 1555);
    assert_true(tfp_device_find(TFP_STR("NVIDIA A100-SXM4-80GB"), INT64_C(85031714816))->bandwidth == 2039);
    assert_true(tfp_device_find(TFP_STR("NVIDIA A100 80GB PCIe"), INT64_C(85031714816))->bandwidth == 1935);
}

static void parts_of_cards_and_their_kin_are_not_known(void **state)
{
    (void)state;
    static const char *const names[] = { "",
                                         "NVIDIA A100-SXM4-40GB MIG 1g.5gb",
                                         "NVIDIA A10G",
                                         "NVIDIA GeForce RTX 3090 Ti",
                                         "NVIDIA GeForce RTX 4090 D",
                                         "NVIDIA GeForce RTX 4090 Laptop GPU",
                                         "NVIDIA GH200 480GB",
                                         "AMD Radeon Graphics" };
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        assert_null(tfp_device_find(tfp_str_of(names[i]), INT64_C(99) << 30));
}

static const tfp_device_peaks *marked(const char *vendor, int64_t cores, double gb, int64_t mhz)
{
    return tfp_device_of_marks(&(tfp_device_marks){ tfp_str_of(vendor), cores, (int64_t)(gb * 1e9), mhz * 1000 });
}

static void devices_without_a_name_are_found_by_their_numbers(void **state)
{
    (void)state;
    assert_string_equal(marked("AMD", 304, 206.1, 2100)->words, "MI300X");
    assert_string_equal(marked("AMD", 304, 274.8, 2100)->words, "MI325X");
    assert_string_equal(marked("AMD", 256, 309.2, 2400)->words, "MI355X");
    assert_string_equal(marked("AMD", 256, 309.2, 2200)->words, "MI350X");
    assert_string_equal(marked("NVIDIA H800", 132, 84.9, 0)->words, "H800");
    assert_null(marked("AMD", 256, 309.2, 1000));
    assert_null(marked("AMD", 8, 206.1, 2100));
    assert_null(marked("Imaginary", 304, 206.1, 2100));
    assert_null(marked("AMD", 0, 0, 0));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(devices_are_found_by_words_of_their_names),
        cmocka_unit_test(memory_tells_cards_of_one_name_apart),
        cmocka_unit_test(devices_without_a_name_are_found_by_their_numbers),
        cmocka_unit_test(parts_of_cards_and_their_kin_are_not_known),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
