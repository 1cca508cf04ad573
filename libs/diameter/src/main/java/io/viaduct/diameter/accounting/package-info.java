/// The Rf client: accounting requests with what was carried and how (3GPP TS 32.299, RFC 6733
/// section 9).
@NullMarked
package io.viaduct.diameter.accounting;

import org.jspecify.annotations.NullMarked;
