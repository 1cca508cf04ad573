/// The control connection to a SNAPT (docs/protocol.md section 5): who is who, keys, tokens, the
/// list of SNAPTs; lost and made again without the data path noticing.
@NullMarked
package io.viaduct.cnapt.control;

import org.jspecify.annotations.NullMarked;
