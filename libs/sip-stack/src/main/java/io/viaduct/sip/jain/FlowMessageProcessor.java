package io.viaduct.sip.jain;

import gov.nist.core.HostPort;
import gov.nist.javax.sip.stack.MessageChannel;
import gov.nist.javax.sip.stack.MessageProcessor;
import gov.nist.javax.sip.stack.SIPTransactionStack;
import io.viaduct.sip.SipFlow;
import io.viaduct.sip.Transport;
import io.viaduct.sip.transport.SipSockets;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;

/// Presents one of our sockets to the stack as a listening point. It neither opens nor closes the
/// socket, because [SipSockets] owns it.
final class FlowMessageProcessor extends MessageProcessor {
  private final SipSockets sockets;
  private final Transport kind;
  private final int maximumMessageSize;

  FlowMessageProcessor(
      SIPTransactionStack stack,
      InetAddress address,
      int port,
      Transport kind,
      SipSockets sockets,
      int maximumMessageSize) {
    super(address, port, kind.parameter(), stack);
    this.kind = kind;
    this.sockets = sockets;
    this.maximumMessageSize = maximumMessageSize;
  }

  SipSockets sockets() {
    return sockets;
  }

  Transport kind() {
    return kind;
  }

  FlowMessageChannel channel(SipFlow flow) {
    return new FlowMessageChannel(this, flow);
  }

  @Override
  public SIPTransactionStack getSIPStack() {
    return sipStack;
  }

  @Override
  public MessageChannel createMessageChannel(HostPort target) throws IOException {
    return createMessageChannel(target.getInetAddress(), target.getPort());
  }

  @Override
  public MessageChannel createMessageChannel(InetAddress host, int port) throws IOException {
    SipFlow flow = new SipFlow(kind, new InetSocketAddress(host, port));
    sockets.connect(flow);
    return channel(flow);
  }

  @Override
  public void start() {}

  @Override
  public void stop() {}

  @Override
  public int getDefaultTargetPort() {
    return 5060;
  }

  @Override
  public boolean isSecure() {
    return kind.isSecure();
  }

  @Override
  public int getMaximumMessageSize() {
    return maximumMessageSize;
  }

  @Override
  public boolean inUse() {
    return false;
  }
}
