/// The relay process: command line, configuration, and the composition of the parts below.
@NullMarked
package io.viaduct.snapt;

import org.jspecify.annotations.NullMarked;
