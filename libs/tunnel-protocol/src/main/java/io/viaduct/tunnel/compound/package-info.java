/// Compounds: inner packets become records, records become blocks, blocks are compressed; and the
/// reverse.
@NullMarked
package io.viaduct.tunnel.compound;

import org.jspecify.annotations.NullMarked;
