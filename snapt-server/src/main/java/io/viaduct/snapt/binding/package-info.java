/// Sessions: which event loop owns one, where its device is now, and when it ends.
@NullMarked
package io.viaduct.snapt.binding;

import org.jspecify.annotations.NullMarked;
