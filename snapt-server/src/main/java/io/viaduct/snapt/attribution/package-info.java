/// Who had which public address and port at which time, for requests about abuse.
@NullMarked
package io.viaduct.snapt.attribution;

import org.jspecify.annotations.NullMarked;
