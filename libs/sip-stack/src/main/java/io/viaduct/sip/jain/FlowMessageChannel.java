package io.viaduct.sip.jain;

import gov.nist.javax.sip.message.SIPMessage;
import gov.nist.javax.sip.message.SIPResponse;
import gov.nist.javax.sip.stack.MessageChannel;
import gov.nist.javax.sip.stack.RawMessageChannel;
import gov.nist.javax.sip.stack.SIPClientTransaction;
import gov.nist.javax.sip.stack.SIPTransaction;
import gov.nist.javax.sip.stack.SIPTransactionStack;
import gov.nist.javax.sip.stack.ServerResponseInterface;
import io.viaduct.sip.SipFlow;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;

/// Presents a flow to the stack as its message channel. The stack sends through it, and responses
/// that arrived on the flow enter the stack through it.
final class FlowMessageChannel extends MessageChannel implements RawMessageChannel {
  private final FlowMessageProcessor processor;
  private final SipFlow flow;

  FlowMessageChannel(FlowMessageProcessor processor, SipFlow flow) {
    this.processor = processor;
    this.flow = flow;
    this.messageProcessor = processor;
  }

  /// Hands a parsed response to its transaction, or to the listener if there is no transaction.
  @Override
  public void processMessage(SIPMessage message) throws Exception {
    message.setRemoteAddress(getPeerInetAddress());
    message.setRemotePort(getPeerPort());
    message.setPeerPacketSourceAddress(getPeerInetAddress());
    message.setPeerPacketSourcePort(getPeerPort());
    message.setLocalPort(processor.getPort());
    message.setLocalAddress(processor.getIpAddress());
    if (message instanceof SIPResponse response) {
      processResponse(response);
    }
  }

  private void processResponse(SIPResponse response) throws Exception {
    ServerResponseInterface target = getSIPStack().newSIPServerResponse(response, this);
    if (target == null) {
      return;
    }
    try {
      if (target instanceof SIPClientTransaction transaction
          && !transaction.checkFromTag(response)) {
        return;
      }
      target.processResponse(response, this);
    } finally {
      if (target instanceof SIPTransaction transaction && !transaction.passToListener()) {
        transaction.releaseSem();
      }
    }
  }

  @Override
  public void sendMessage(SIPMessage message) throws IOException {
    sendMessage(message, getPeerInetAddress(), getPeerPort());
  }

  @Override
  public void sendMessage(SIPMessage message, InetAddress host, int port) throws IOException {
    byte[] bytes =
        message.getApplicationData() instanceof Outgoing(_, var ours)
            ? ours
            : message.encodeAsBytes(getTransport());
    sendMessage(bytes, host, port, false);
  }

  @Override
  protected void sendMessage(byte[] bytes, InetAddress host, int port, boolean reconnect)
      throws IOException {
    processor
        .sockets()
        .write(new SipFlow(flow.transport(), new InetSocketAddress(host, port)), bytes);
  }

  @Override
  public void close() {}

  @Override
  public SIPTransactionStack getSIPStack() {
    return processor.getSIPStack();
  }

  @Override
  public String getTransport() {
    return flow.transport().name();
  }

  @Override
  public boolean isReliable() {
    return flow.transport().isReliable();
  }

  @Override
  public boolean isSecure() {
    return flow.transport().isSecure();
  }

  @Override
  public String getPeerAddress() {
    return getPeerInetAddress().getHostAddress();
  }

  @Override
  protected InetAddress getPeerInetAddress() {
    return flow.remote().getAddress();
  }

  @Override
  protected String getPeerProtocol() {
    return getTransport();
  }

  @Override
  public int getPeerPort() {
    return flow.remote().getPort();
  }

  @Override
  public int getPeerPacketSourcePort() {
    return getPeerPort();
  }

  @Override
  public InetAddress getPeerPacketSourceAddress() {
    return getPeerInetAddress();
  }

  @Override
  public String getKey() {
    return MessageChannel.getKey(getPeerInetAddress(), getPeerPort(), getTransport());
  }

  @Override
  public String getViaHost() {
    return processor.getIpAddress().getHostAddress();
  }

  @Override
  public int getViaPort() {
    return processor.getPort();
  }
}
