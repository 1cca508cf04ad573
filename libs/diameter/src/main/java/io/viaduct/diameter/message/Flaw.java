package io.viaduct.diameter.message;

import org.jspecify.annotations.Nullable;

/// The first flaw of a message, with the AVP to blame.
record Flaw(Refusal reason, @Nullable Avp failed) {}
