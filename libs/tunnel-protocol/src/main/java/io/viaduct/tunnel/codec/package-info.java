/// The choice of the codec per class and path, and the entropy tables of zstd.
@NullMarked
package io.viaduct.tunnel.codec;

import org.jspecify.annotations.NullMarked;
