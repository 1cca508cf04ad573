package io.viaduct.cnapt.control;

import com.google.protobuf.ByteString;
import io.viaduct.tunnel.control.ControlFrame;
import io.viaduct.tunnel.control.v1.Aead;
import io.viaduct.tunnel.control.v1.Feature;
import io.viaduct.tunnel.control.v1.Hello;
import io.viaduct.tunnel.control.v1.Welcome;
import io.viaduct.tunnel.key.SessionSecret;
import io.viaduct.tunnel.terms.TunnelLimits;
import io.viaduct.tunnel.wire.DatagramHeader;
import java.net.InetAddress;
import java.util.List;
import java.util.regex.Pattern;

/// The part of the Hello that is the same on every connection of this agent.
///
/// @param aeads ciphers in order of preference
/// @param applications application names, by the index that OPEN carries
/// @param limits limits of this end
/// @param innerIpv4 inner IPv4 address, empty for none
/// @param innerIpv6 inner IPv6 address, empty for none
/// @param toPeer true towards a peer: no receipts are signed, and each of its addresses is a place
///   of its own
public record Greeting(
    List<Aead> aeads,
    List<String> applications,
    TunnelLimits limits,
    String innerIpv4,
    String innerIpv6,
    String software,
    boolean toPeer) {
  // The id is sent again in the Hello that resumes the session, and is printed in log and status.
  private static final Pattern SESSION_ID = Pattern.compile("[\\x21-\\x7e]{1,64}");

  /// @param believesBridge whether directories of SNAPTs are taken from the bridge alone
  Hello hello(byte[] token, byte[] proof, Resumption resumption, boolean believesBridge) {
    Hello.Builder hello =
        Hello.newBuilder()
            .setVersion(ControlFrame.VERSION)
            .setToken(ByteString.copyFrom(token))
            .setProof(ByteString.copyFrom(proof))
            .setResumeSessionId(resumption.sessionId())
            .setReceiverIndex(resumption.receiverIndex())
            .setMovedNumber(resumption.handOver())
            .addAllAeads(aeads)
            .addAllApplications(applications)
            .setPathMtu(limits.pathMtu())
            .setInnerIpv4(address(innerIpv4))
            .setInnerIpv6(address(innerIpv6))
            .setSoftware(software)
            .setHistoryBytes(limits.historyBytes())
            .setPaths(limits.paths())
            .addAllFeatures(limits.features());
    if (!toPeer && believesBridge) {
      hello.addFeatures(Feature.SIGNED_DIRECTORIES);
    }
    return toPeer
        ? hello.build()
        : hello
            .addFeatures(Feature.RECEIPTS)
            .addFeatures(Feature.CREDIT_NOTICES)
            .addFeatures(Feature.RELAY_LISTS)
            .addFeatures(Feature.LINE_RATES)
            .addFeatures(Feature.MOVES)
            .build();
  }

  /// Returns the rule of docs/protocol.md section 5 that a Welcome violates, or an empty text.
  ///
  /// @param resumable the session that the Hello asked to resume, or empty
  String wrongWith(Welcome welcome, String resumable) {
    int secret = welcome.getSecret().size();
    if (welcome.getResumed() ? secret != 0 : secret != SessionSecret.BYTES) {
      return "Welcome with a secret of " + secret + " bytes, resumed " + welcome.getResumed();
    }
    if (welcome.getResumed() && !welcome.getSessionId().equals(resumable)) {
      return "Welcome resumes a session that was not asked for";
    }
    if (!SESSION_ID.matcher(welcome.getSessionId()).matches()) {
      return "Welcome with a session id that is no word of at most 64 characters";
    }
    int index = welcome.getReceiverIndex();
    if (index < 0 || index > DatagramHeader.RECEIVER_INDEX_MAX) {
      return "Welcome with receiver index " + index;
    }
    if (welcome.getDataPort() < 1 || welcome.getDataPort() > 65535) {
      return "Welcome with data port " + welcome.getDataPort();
    }
    if (welcome.getPathMtu() < TunnelLimits.PATH_MTU_MIN
        || welcome.getPathMtu() > limits.pathMtu()) {
      return "Welcome with path MTU " + welcome.getPathMtu();
    }
    return aeads.contains(welcome.getAead()) ? "" : "Welcome with an AEAD not offered";
  }

  private static ByteString address(String literal) {
    return literal.isEmpty()
        ? ByteString.EMPTY
        : ByteString.copyFrom(InetAddress.ofLiteral(literal).getAddress());
  }
}
