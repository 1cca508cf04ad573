/// Sessions: their admission, their assignment to an event loop, and their end.
@NullMarked
package io.viaduct.snapt.binding;

import org.jspecify.annotations.NullMarked;
