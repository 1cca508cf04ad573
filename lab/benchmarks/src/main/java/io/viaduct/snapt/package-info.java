/// SNAPTs without devices, whose parts are private to this package.
@NullMarked
package io.viaduct.snapt;

import org.jspecify.annotations.NullMarked;
