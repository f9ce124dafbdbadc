"""Opening of untrusted submissions: folders, zips and single files, their limits and names, and the tasks they answer."""
