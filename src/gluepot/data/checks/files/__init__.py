"""Checks of files: are they here, are they the published ones, how are they written, are they documented?"""
