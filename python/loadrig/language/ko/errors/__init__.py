"""Words of errors in Korean, a file for each room or part of one."""
