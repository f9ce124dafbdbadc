"""Opening what strangers sent: folders, zips and single files, their limits and names, the tasks that they answer."""
