package io.viaduct.bridge.core;

import io.viaduct.sip.IncomingRequest;
import io.viaduct.sip.SipFlow;
import io.viaduct.sip.SipRequest;
import io.viaduct.sip.SipResponse;

/// A request without the headers that its sender may not set.
record CleanRequest(IncomingRequest arrived, SipRequest message) implements IncomingRequest {
  @Override
  public SipFlow flow() {
    return arrived.flow();
  }

  @Override
  public void answer(SipResponse response) {
    arrived.answer(response);
  }

  @Override
  public boolean begin(Runnable onCancel) {
    return arrived.begin(onCancel);
  }

  @Override
  public void onSourceProved() {
    arrived.onSourceProved();
  }
}
