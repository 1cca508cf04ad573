package io.viaduct.sip.endpoint;

import io.viaduct.sip.IncomingRequest;
import io.viaduct.sip.SipFlow;
import io.viaduct.sip.SipHeaders;
import io.viaduct.sip.SipRequest;
import io.viaduct.sip.SipResponse;
import io.viaduct.sip.endpoint.SipStatistics.Count;
import io.viaduct.sip.invite.InviteServer;
import io.viaduct.sip.invite.InviteServers;
import io.viaduct.sip.transport.ResponseMemory;
import io.viaduct.sip.transport.SipSockets;
import java.io.IOException;
import org.jspecify.annotations.Nullable;

/// One incoming request with its flow. Every response of ours has the same To tag.
final class ServerExchange implements IncomingRequest {
  private final Intake intake;
  private final SipSockets sockets;
  private final SipRequest request;
  private final SipFlow flow;
  private final String tag = SipEndpoint.token();
  private volatile @Nullable InviteServer transaction;

  ServerExchange(Intake intake, SipSockets sockets, SipRequest request, SipFlow flow) {
    this.intake = intake;
    this.sockets = sockets;
    this.request = request;
    this.flow = flow;
  }

  ResponseMemory.Key key() {
    SipHeaders headers = request.headers();
    return new ResponseMemory.Key(
        flow.toString(),
        headers.require("Via"),
        headers.require("Call-ID"),
        headers.require("CSeq"));
  }

  InviteServers.Key inviteKey() {
    return new InviteServers.Key(
        flow.toString(),
        TopmostVia.transaction(request),
        request.callId(),
        request.cseq().number());
  }

  SipFlow replyTo() {
    return TopmostVia.replyTo(request, flow);
  }

  @Override
  public SipRequest message() {
    return request;
  }

  @Override
  public SipFlow flow() {
    return flow;
  }

  @Override
  public void onSourceProved() {
    intake.onSourceProved(flow);
  }

  @Override
  public boolean begin(Runnable onCancel) {
    InviteServer begun = intake.begin(this, onCancel);
    if (begun == null) {
      return false;
    }
    transaction = begun;
    begun.answer(SipResponse.to(request, 100).encode(), 100);
    return true;
  }

  @Override
  public void answer(SipResponse response) {
    byte[] bytes = response.withToTag(tag).encode();
    if (response.isFinal() && !flow.transport().isReliable()) {
      intake.remember(this, bytes);
    }
    InviteServer begun = transaction;
    if (begun == null) {
      write(bytes);
    } else {
      begun.answer(bytes, response.status());
    }
  }

  void write(byte[] bytes) {
    if (!intake.mayAnswer(flow)) {
      return;
    }
    try {
      sockets.write(replyTo(), bytes);
      intake.count(Count.RESPONSE_SENT);
    } catch (IOException e) {
      intake.count(Count.SEND_FAILED);
    }
  }
}
