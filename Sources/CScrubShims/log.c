#include "CScrubShims.h"
