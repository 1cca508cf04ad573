/// Signatures of the control plane's messages, and the checks of usage reports, tokens and
/// receipts.
@NullMarked
package io.viaduct.usage;

import org.jspecify.annotations.NullMarked;
