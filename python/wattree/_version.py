# Written by CMake from the project's version (CMakeLists.txt). Do not edit.
__version__ = "0.1.0"
