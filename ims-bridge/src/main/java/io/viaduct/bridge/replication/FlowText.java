package io.viaduct.bridge.replication;

import com.google.protobuf.ByteString;
import io.viaduct.sip.SipFlow;
import io.viaduct.sip.Transport;
import io.viaduct.usage.v1.ReplicaFlow;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import java.util.Locale;

/// Writes and reads flows as bridges tell them to each other: with the owner's name.
public final class FlowText {
  private FlowText() {}

  /// @param self name of this bridge
  public static ReplicaFlow write(SipFlow flow, String self) {
    return ReplicaFlow.newBuilder()
        .setBridge(flow.owner().isEmpty() ? self : flow.owner())
        .setTransport(flow.transport().parameter())
        .setAddress(ByteString.copyFrom(flow.remote().getAddress().getAddress()))
        .setPort(flow.remote().getPort())
        .build();
  }

  /// @param self name of this bridge
  /// @throws IllegalArgumentException if it is no flow
  public static SipFlow read(ReplicaFlow flow, String self) {
    try {
      return new SipFlow(
          Transport.valueOf(flow.getTransport().toUpperCase(Locale.ROOT)),
          new InetSocketAddress(
              InetAddress.getByAddress(flow.getAddress().toByteArray()), flow.getPort()),
          flow.getBridge().equals(self) ? "" : flow.getBridge());
    } catch (UnknownHostException e) {
      throw new IllegalArgumentException("an address must have 4 or 16 bytes", e);
    }
  }
}
