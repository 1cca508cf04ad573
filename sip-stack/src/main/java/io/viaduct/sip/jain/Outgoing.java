package io.viaduct.sip.jain;

import io.viaduct.sip.SipFlow;

/// What the stack's request carries for us: where it goes and its bytes as they go.
record Outgoing(SipFlow flow, byte[] bytes) {}
