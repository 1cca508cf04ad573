/// The messages of Ro: Credit-Control requests and answers with one or more services (RFC 8506,
/// 3GPP TS 32.299), for both ends.
@NullMarked
package io.viaduct.diameter.credit;

import org.jspecify.annotations.NullMarked;
