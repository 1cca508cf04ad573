/// The connections between the bridges of a domain: copies of entries, nonces, and requests for
/// flows of another bridge (ADR 0073).
@NullMarked
package io.viaduct.bridge.cluster;

import org.jspecify.annotations.NullMarked;
