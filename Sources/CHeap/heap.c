#include "heap.h"
