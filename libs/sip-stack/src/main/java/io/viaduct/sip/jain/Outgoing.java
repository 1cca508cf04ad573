package io.viaduct.sip.jain;

import io.viaduct.sip.SipFlow;

/// Our data on a request inside the stack: its target and its encoded bytes.
record Outgoing(SipFlow flow, byte[] bytes) {}
