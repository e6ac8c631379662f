// SPDX-License-Identifier: GPL-2.0
/*
 * Sound hardware that is not there, for the kernel of the virtual device.
 *
 * The kernel's own codec drivers (PCM512x, WM8960, DA7213, ...) need two neighbours in order to
 * probe and to offer their controls: an I2C bus with their chip on it, and a CPU interface that
 * sends them samples. This file is both, without hardware behind it:
 *
 *   tactus,virtual-i2c   an I2C adapter. Each child node is a chip: a file of registers that keeps
 *                        what is written and gives it back.
 *   tactus,virtual-dai   a CPU digital audio interface that agrees to every format and moves
 *                        nothing.
 *
 * Words: a *chip* is one address on the bus; a *register* is what one register number of the chip
 * holds, one byte wide for most chips; a *page* is another set of registers behind the same
 * numbers, chosen by writing its number to the chip's page register.
 *
 * Optional properties of a chip's node:
 *   tactus,write-only             reads are refused, as by a chip without them (WM8960)
 *   tactus,register-bytes = <n>   width of a register, 1 to 20 (default 1); a longer transfer goes
 *                                 on with the next register
 *   tactus,page-register = <r>    the register that chooses the page
 *   tactus,register-flags = <m>   bits of the register's byte on the bus that are not its number
 *                                 (PCM512x: 0x80)
 *   tactus,reset-values = <r v>…  registers that are not zero at power-on, as an identity; v fills
 *                                 the register, highest byte first
 *
 * In debugfs, under tactus/CHIP/:
 *   reads, writes   transfers so far
 *   fail            1: the chip does not answer any more (-EREMOTEIO, as the Pi's controller says)
 *   clock_hz        bus clock whose time a transfer takes; 0 (default): none
 *   registers       all registers that are not zero, one "page register: value" a line, hexadecimal
 */
#include <linux/debugfs.h>
#include <linux/delay.h>
#include <linux/i2c.h>
#include <linux/module.h>
#include <linux/of.h>
#include <linux/platform_device.h>
#include <linux/seq_file.h>
#include <sound/soc.h>

#define ADDRESSES	128	/* 7-bit addresses on one bus */
#define PAGES		256
#define REGISTERS	256
#define WIDEST		20	/* bytes; the biquads of TAS571x */
#define NO_REGISTER	REGISTERS

struct virtual_chip {
	bool write_only;
	u32 register_bytes;
	u32 page_register;	/* NO_REGISTER: the chip has one page */
	u32 register_flags;
	u8 page;
	u8 pointer;		/* the register that the next transfer begins with */
	u8 *pages[PAGES];	/* allocated when first written; NULL reads as zero */

	u32 reads;
	u32 writes;
	u32 clock_hz;
	bool fail;
};

struct virtual_bus {
	struct i2c_adapter adapter;
	struct virtual_chip *chips[ADDRESSES];
};

static struct dentry *debug_root;

/* The byte at a position behind the chip's pointer, or NULL where nothing was ever written. */
static u8 *chip_byte(struct virtual_chip *chip, unsigned int position, bool allocate)
{
	unsigned int number = (chip->pointer + position / chip->register_bytes) % REGISTERS;
	u8 **page = &chip->pages[chip->page];

	if (!*page && allocate)
		*page = kcalloc(REGISTERS, chip->register_bytes, GFP_KERNEL);
	if (!*page)
		return NULL;
	return *page + number * chip->register_bytes + position % chip->register_bytes;
}

/* A write: the register's number, then bytes from there on. */
static int chip_write(struct virtual_chip *chip, const u8 *bytes, unsigned int count)
{
	unsigned int position;

	chip->writes++;
	if (!count)
		return 0;
	chip->pointer = bytes[0] & ~chip->register_flags;
	if (count > 1 && chip->pointer == chip->page_register) {
		chip->page = bytes[1];
		return 0;
	}
	for (position = 0; position + 1 < count; position++) {
		u8 *byte = chip_byte(chip, position, true);

		if (!byte)
			return -ENOMEM;
		*byte = bytes[position + 1];
	}
	return 0;
}

static int chip_read(struct virtual_chip *chip, u8 *bytes, unsigned int count)
{
	unsigned int position;

	if (chip->write_only)
		return -EREMOTEIO;
	chip->reads++;
	for (position = 0; position < count; position++) {
		const u8 *byte = chip_byte(chip, position, false);

		bytes[position] = byte ? *byte : 0;
	}
	if (chip->pointer == chip->page_register && count)
		bytes[0] = chip->page;
	/* Like real chips: a read without a register number goes on behind the last one. */
	chip->pointer += count / chip->register_bytes;
	return 0;
}

/* Takes the time of a transfer: nine clocks for the address and for every byte. */
static void chip_take_time(const struct virtual_chip *chip, unsigned int count)
{
	u32 clock_hz = READ_ONCE(chip->clock_hz);

	if (clock_hz)
		fsleep(div_u64(9ULL * USEC_PER_SEC * (count + 1), clock_hz));
}

static int bus_transfer(struct i2c_adapter *adapter, struct i2c_msg *messages, int count)
{
	struct virtual_bus *bus = i2c_get_adapdata(adapter);
	int i;

	for (i = 0; i < count; i++) {
		struct i2c_msg *message = &messages[i];
		struct virtual_chip *chip = NULL;
		int error;

		if (message->addr < ADDRESSES)
			chip = bus->chips[message->addr];
		if (!chip)
			return -ENXIO;
		if (READ_ONCE(chip->fail))
			return -EREMOTEIO;
		chip_take_time(chip, message->len);
		if (message->flags & I2C_M_RD)
			error = chip_read(chip, message->buf, message->len);
		else
			error = chip_write(chip, message->buf, message->len);
		if (error)
			return error;
	}
	return count;
}

static u32 bus_functionality(struct i2c_adapter *adapter)
{
	return I2C_FUNC_I2C | I2C_FUNC_SMBUS_EMUL;
}

static const struct i2c_algorithm bus_algorithm = {
	.master_xfer = bus_transfer,
	.functionality = bus_functionality,
};

static int registers_show(struct seq_file *file, void *unused)
{
	struct virtual_chip *chip = file->private;
	unsigned int page, number, i;

	for (page = 0; page < PAGES; page++) {
		for (number = 0; chip->pages[page] && number < REGISTERS; number++) {
			const u8 *bytes = chip->pages[page] + number * chip->register_bytes;

			if (!memchr_inv(bytes, 0, chip->register_bytes))
				continue;
			seq_printf(file, "%02x %02x: ", page, number);
			for (i = 0; i < chip->register_bytes; i++)
				seq_printf(file, "%02x", bytes[i]);
			seq_putc(file, '\n');
		}
	}
	return 0;
}
DEFINE_SHOW_ATTRIBUTE(registers);

static void chip_show_in_debugfs(struct virtual_chip *chip, const struct device_node *node)
{
	char name[32];
	struct dentry *directory;

	snprintf(name, sizeof(name), "%pOFn", node);
	directory = debugfs_create_dir(name, debug_root);
	debugfs_create_u32("reads", 0444, directory, &chip->reads);
	debugfs_create_u32("writes", 0444, directory, &chip->writes);
	debugfs_create_u32("clock_hz", 0644, directory, &chip->clock_hz);
	debugfs_create_bool("fail", 0644, directory, &chip->fail);
	debugfs_create_file("registers", 0444, directory, chip, &registers_fops);
}

/* Fills the registers named by pairs of number and value. */
static int chip_reset(struct virtual_chip *chip, const struct device_node *node)
{
	const char *name = "tactus,reset-values";
	int count = of_property_count_u32_elems(node, name);
	int i;

	for (i = 0; i + 1 < count; i += 2) {
		u32 number, value, position;

		of_property_read_u32_index(node, name, i, &number);
		of_property_read_u32_index(node, name, i + 1, &value);
		chip->pointer = number;
		for (position = 0; position < chip->register_bytes; position++) {
			unsigned int shift = 8 * (chip->register_bytes - 1 - position);
			u8 *byte = chip_byte(chip, position, true);

			if (!byte)
				return -ENOMEM;
			*byte = shift < 32 ? value >> shift : 0;
		}
	}
	return 0;
}

/* Makes the chip that a child node describes. It lives as long as the kernel, as its files do. */
static int bus_add_chip(struct virtual_bus *bus, const struct device_node *node)
{
	struct virtual_chip *chip;
	u32 address;
	int error;

	error = of_property_read_u32(node, "reg", &address);
	if (error || address >= ADDRESSES || bus->chips[address])
		return -EINVAL;
	chip = kzalloc(sizeof(*chip), GFP_KERNEL);
	if (!chip)
		return -ENOMEM;
	chip->register_bytes = 1;
	chip->page_register = NO_REGISTER;
	of_property_read_u32(node, "tactus,register-bytes", &chip->register_bytes);
	of_property_read_u32(node, "tactus,page-register", &chip->page_register);
	of_property_read_u32(node, "tactus,register-flags", &chip->register_flags);
	chip->write_only = of_property_read_bool(node, "tactus,write-only");
	chip->register_bytes = clamp(chip->register_bytes, 1, WIDEST);
	bus->chips[address] = chip;
	error = chip_reset(chip, node);
	if (error)
		return error;
	chip_show_in_debugfs(chip, node);
	return 0;
}

static int bus_probe(struct platform_device *device)
{
	struct virtual_bus *bus;
	int error;

	bus = devm_kzalloc(&device->dev, sizeof(*bus), GFP_KERNEL);
	if (!bus)
		return -ENOMEM;
	for_each_available_child_of_node_scoped(device->dev.of_node, node) {
		error = bus_add_chip(bus, node);
		if (error)
			return dev_err_probe(&device->dev, error, "%pOFn\n", node);
	}
	bus->adapter.owner = THIS_MODULE;
	bus->adapter.algo = &bus_algorithm;
	bus->adapter.dev.parent = &device->dev;
	bus->adapter.dev.of_node = device->dev.of_node;
	strscpy(bus->adapter.name, "tactus virtual i2c", sizeof(bus->adapter.name));
	i2c_set_adapdata(&bus->adapter, bus);
	return i2c_add_adapter(&bus->adapter);
}

static const struct of_device_id bus_matches[] = {
	{ .compatible = "tactus,virtual-i2c" },
	{}
};

static struct platform_driver bus_driver = {
	.probe = bus_probe,
	.driver = {
		.name = "tactus-virtual-i2c",
		.of_match_table = bus_matches,
		.suppress_bind_attrs = true,	/* chips live as long as the kernel */
	},
};

static u64 dai_formats[] = {
	SND_SOC_POSSIBLE_DAIFMT_I2S | SND_SOC_POSSIBLE_DAIFMT_NB_NF |
	SND_SOC_POSSIBLE_DAIFMT_CBP_CFP | SND_SOC_POSSIBLE_DAIFMT_CBC_CFC,
};

static const struct snd_soc_dai_ops dai_operations = {
	.auto_selectable_formats = dai_formats,
	.num_auto_selectable_formats = ARRAY_SIZE(dai_formats),
};

#define DAI_STREAM(name) {							\
	.stream_name = (name),							\
	.channels_min = 1,							\
	.channels_max = 8,							\
	.rates = SNDRV_PCM_RATE_8000_192000,					\
	.formats = SNDRV_PCM_FMTBIT_S16_LE | SNDRV_PCM_FMTBIT_S24_LE |		\
		   SNDRV_PCM_FMTBIT_S32_LE,					\
}

static struct snd_soc_dai_driver dai = {
	.name = "virtual-dai",
	.ops = &dai_operations,
	.playback = DAI_STREAM("CPU Playback"),
	.capture = DAI_STREAM("CPU Capture"),
};

static const struct snd_soc_component_driver dai_component = {
	.name = "virtual-dai",
};

static int dai_probe(struct platform_device *device)
{
	return devm_snd_soc_register_component(&device->dev, &dai_component, &dai, 1);
}

static const struct of_device_id dai_matches[] = {
	{ .compatible = "tactus,virtual-dai" },
	{}
};

static struct platform_driver dai_driver = {
	.probe = dai_probe,
	.driver = {
		.name = "tactus-virtual-dai",
		.of_match_table = dai_matches,
	},
};

static struct platform_driver *const drivers[] = { &bus_driver, &dai_driver };

static int __init virtual_codec_init(void)
{
	debug_root = debugfs_create_dir("tactus", NULL);
	return platform_register_drivers(drivers, ARRAY_SIZE(drivers));
}
device_initcall(virtual_codec_init);

MODULE_DESCRIPTION("I2C register files and a CPU DAI for codec drivers without hardware");
MODULE_LICENSE("GPL");
