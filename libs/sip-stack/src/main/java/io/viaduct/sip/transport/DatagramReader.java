package io.viaduct.sip.transport;

import io.netty.buffer.ByteBufUtil;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.SimpleChannelInboundHandler;
import io.netty.channel.socket.DatagramPacket;
import io.viaduct.sip.SipFlow;
import io.viaduct.sip.Transport;
import io.viaduct.sip.guard.MessageGuard;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Reads one SIP message from each datagram.
final class DatagramReader extends SimpleChannelInboundHandler<DatagramPacket> {
  private static final Logger LOG = LoggerFactory.getLogger(DatagramReader.class);

  private final MessageGuard guard;
  private final Receiver receiver;

  DatagramReader(MessageGuard guard, Receiver receiver) {
    this.guard = guard;
    this.receiver = receiver;
  }

  @Override
  protected void channelRead0(ChannelHandlerContext context, DatagramPacket packet) {
    byte[] bytes = ByteBufUtil.getBytes(packet.content());
    receiver.onVerdict(guard.datagram(bytes), new SipFlow(Transport.UDP, packet.sender()));
  }

  @Override
  public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
    // An ICMP error of an earlier send, or a lost network: the socket stays usable.
    LOG.debug("UDP socket: {}", cause.toString());
  }
}
