/// The relay process: the command line, the configuration, and the assembly of the packages below.
@NullMarked
package io.viaduct.snapt;

import org.jspecify.annotations.NullMarked;
