package io.viaduct.snapt.group;

import com.google.protobuf.ByteString;
import io.viaduct.snapt.binding.Arrival;
import io.viaduct.snapt.binding.Session;
import io.viaduct.snapt.napt.InnerAddresses;
import io.viaduct.snapt.napt.PublicAddress;
import io.viaduct.tunnel.flow.FlowTuple;
import io.viaduct.tunnel.wire.ServiceClass;
import io.viaduct.usage.v1.MovedFlow;
import io.viaduct.usage.v1.SessionAddress;
import io.viaduct.usage.v1.TakeOverRequest;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;

/// Reads and writes the messages between members. Bad fields are refused with the value and the
/// rule.
final class TakeOverMessage {
  /// Most flows of one request.
  static final int FLOWS_MAX = 16_384;

  private static final int APPLICATION_LENGTH_MAX = 40;

  private TakeOverMessage() {}

  static TakeOverRequest of(String group, long number, Session session, Arrival.Carried carried) {
    InnerAddresses inner = session.terms().inner();
    TakeOverRequest.Builder request =
        TakeOverRequest.newBuilder()
            .setGroup(group)
            .setNumber(number)
            .setToken(session.shown().signed())
            .setAddress(of(session.address()))
            .setInnerIpv4(ipv4(inner))
            .setInnerIpv6(ipv6(inner));
    for (Arrival.Flow each : carried.flows()) {
      request.addFlows(of(each));
    }
    MovedLinks.write(carried.rates(), request);
    return request.build();
  }

  static SessionAddress of(PublicAddress address) {
    return SessionAddress.newBuilder()
        .setIpv4(ByteString.copyFrom(address.ipv4Bytes()))
        .setIpv6(ByteString.copyFrom(address.ipv6Bytes()))
        .build();
  }

  private static MovedFlow of(Arrival.Flow flow) {
    FlowTuple tuple = flow.tuple();
    boolean ipv4 = tuple.remoteHigh() == 0 && tuple.remoteLow() >>> 32 == 0xFFFF;
    byte[] remote =
        ipv4
            ? ByteBuffer.allocate(4).putInt((int) tuple.remoteLow()).array()
            : ByteBuffer.allocate(16)
                .putLong(tuple.remoteHigh())
                .putLong(tuple.remoteLow())
                .array();
    return MovedFlow.newBuilder()
        .setProtocol(tuple.protocol())
        .setRemote(ByteString.copyFrom(remote))
        .setDevicePort(tuple.devicePort())
        .setRemotePort(tuple.remotePort())
        .setServiceClassValue(flow.serviceClass().ordinal() + 1)
        .setApplication(flow.application())
        .build();
  }

  private static ByteString ipv4(InnerAddresses inner) {
    return inner.hasIpv4()
        ? ByteString.copyFrom(ByteBuffer.allocate(4).putInt(inner.ipv4()).array())
        : ByteString.EMPTY;
  }

  private static ByteString ipv6(InnerAddresses inner) {
    return inner.hasIpv6()
        ? ByteString.copyFrom(
            ByteBuffer.allocate(16).putLong(inner.ipv6High()).putLong(inner.ipv6Low()).array())
        : ByteString.EMPTY;
  }

  /// @throws IllegalArgumentException for a wrong length
  static PublicAddress address(SessionAddress message) {
    return PublicAddress.of(message.getIpv4().toByteArray(), message.getIpv6().toByteArray());
  }

  /// @throws IllegalArgumentException if a length is wrong, or an address is not unicast
  static InnerAddresses inner(TakeOverRequest request) {
    return InnerAddresses.of(
        request.getInnerIpv4().toByteArray(), request.getInnerIpv6().toByteArray());
  }

  /// Reads the flows; one that breaks a rule is left out, because it begins anew with its next
  /// packet.
  ///
  /// @param leftOut hears of each flow that is left out, and why
  /// @throws IllegalArgumentException if there are too many
  static List<Arrival.Flow> flows(TakeOverRequest request, Consumer<String> leftOut) {
    if (request.getFlowsCount() > FLOWS_MAX) {
      throw new IllegalArgumentException(
          "at most %d flows, got %d".formatted(FLOWS_MAX, request.getFlowsCount()));
    }
    List<Arrival.Flow> flows = new ArrayList<>();
    for (MovedFlow each : request.getFlowsList()) {
      try {
        flows.add(flow(each, request));
      } catch (IllegalArgumentException e) {
        leftOut.accept(String.valueOf(e.getMessage()));
      }
    }
    return flows;
  }

  private static Arrival.Flow flow(MovedFlow flow, TakeOverRequest of) {
    byte[] remote = flow.getRemote().toByteArray();
    ByteString device = remote.length == 4 ? of.getInnerIpv4() : of.getInnerIpv6();
    int code = flow.getServiceClassValue() - 1;
    if (device.size() != remote.length || isNowhere(remote)) {
      throw new IllegalArgumentException(
          "a flow's remote address must be of a family of the device, got %d bytes"
              .formatted(remote.length));
    }
    if (code < 0 || code >= ServiceClass.COUNT || flow.getProtocol() >>> 8 != 0) {
      throw new IllegalArgumentException(
          "a flow has a class and a protocol below 256, got %d and %s"
              .formatted(
                  flow.getServiceClassValue(), Integer.toUnsignedString(flow.getProtocol())));
    }
    if ((flow.getDevicePort() | flow.getRemotePort()) >>> 16 != 0
        || flow.getApplication().length() > APPLICATION_LENGTH_MAX) {
      throw new IllegalArgumentException(
          "a flow has ports below 65536 and an application of at most 40 characters, got %d, %d and '%s'"
              .formatted(flow.getDevicePort(), flow.getRemotePort(), flow.getApplication()));
    }
    FlowTuple tuple =
        FlowTuple.of(
            flow.getProtocol(),
            device.toByteArray(),
            remote,
            flow.getDevicePort(),
            flow.getRemotePort());
    return new Arrival.Flow(tuple, ServiceClass.of(code), flow.getApplication());
  }

  private static boolean isNowhere(byte[] address) {
    try {
      return InetAddress.getByAddress(address).isAnyLocalAddress();
    } catch (UnknownHostException _) {
      return true; // neither 4 nor 16 bytes
    }
  }
}
