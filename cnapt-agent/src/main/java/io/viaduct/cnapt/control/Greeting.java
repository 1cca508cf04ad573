package io.viaduct.cnapt.control;

import com.google.protobuf.ByteString;
import io.viaduct.tunnel.control.v1.Aead;
import io.viaduct.tunnel.control.v1.Hello;
import java.net.InetAddress;
import java.util.List;

/// The part of Hello that is the same on every connection of this agent.
///
/// @param aeads in order of preference
/// @param applications names, by the index that OPEN carries
/// @param pathMtu outer IP packet, bytes
/// @param innerIpv4 literal, empty for none
/// @param innerIpv6 literal, empty for none
public record Greeting(
    List<Aead> aeads,
    List<String> applications,
    int pathMtu,
    String innerIpv4,
    String innerIpv6,
    String software) {
  static final int VERSION = 1;

  Hello hello(byte[] token, byte[] proof, String resumeSessionId, int receiverIndex) {
    return Hello.newBuilder()
        .setVersion(VERSION)
        .setToken(ByteString.copyFrom(token))
        .setProof(ByteString.copyFrom(proof))
        .setResumeSessionId(resumeSessionId)
        .setReceiverIndex(receiverIndex)
        .addAllAeads(aeads)
        .addAllApplications(applications)
        .setPathMtu(pathMtu)
        .setInnerIpv4(address(innerIpv4))
        .setInnerIpv6(address(innerIpv6))
        .setSoftware(software)
        .build();
  }

  private static ByteString address(String literal) {
    return literal.isEmpty()
        ? ByteString.EMPTY
        : ByteString.copyFrom(InetAddress.ofLiteral(literal).getAddress());
  }
}
