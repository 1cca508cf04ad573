/// The control connection to a SNAPT (docs/protocol.md section 5): identities, keys, tokens and the
/// list of SNAPTs. Its loss and reconnection do not interrupt the data path.
@NullMarked
package io.viaduct.cnapt.control;

import org.jspecify.annotations.NullMarked;
