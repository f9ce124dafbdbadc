"""What gives answers away: rules that look at one feature, models that see half of the input, copies between splits."""
