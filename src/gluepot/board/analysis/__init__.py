"""What the numbers can show: detectable differences, parity, speed beside quality, two translations side by side."""
