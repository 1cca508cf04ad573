/// Attribution: records of the public addresses and ports of sessions over time, for abuse
/// requests.
@NullMarked
package io.viaduct.snapt.attribution;

import org.jspecify.annotations.NullMarked;
