/// What the messages of the control plane are signed as.
@NullMarked
package io.viaduct.usage;

import org.jspecify.annotations.NullMarked;
