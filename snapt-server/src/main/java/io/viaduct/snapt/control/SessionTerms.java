package io.viaduct.snapt.control;

import com.google.protobuf.ByteString;
import io.viaduct.service.logging.PeerText;
import io.viaduct.snapt.binding.Session;
import io.viaduct.snapt.napt.InnerAddresses;
import io.viaduct.tunnel.control.v1.Feature;
import io.viaduct.tunnel.control.v1.Hello;
import io.viaduct.tunnel.control.v1.RefusalCode;
import io.viaduct.tunnel.key.SessionSecret;
import io.viaduct.tunnel.terms.HelloTerms;
import io.viaduct.tunnel.terms.HelloTerms.RefusedException;
import io.viaduct.tunnel.terms.TunnelLimits;
import java.net.InetAddress;
import java.util.EnumSet;
import java.util.Set;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/// Checks the terms that a Hello requests of a SNAPT, without its token: those of the tunnel
/// ([HelloTerms]), the names of applications, and the inner addresses.
final class SessionTerms {
  private static final int APPLICATIONS_MAX = 255;
  private static final int APPLICATION_SHOWN_MAX = 40;
  private static final int SOFTWARE_LENGTH_MAX = 80;

  // Billing refuses a report with any other name, so its traffic would cost nothing.
  private static final Pattern APPLICATION = Pattern.compile("[a-z0-9._-]{1,40}");

  private SessionTerms() {}

  /// @param from address of the control connection; null if it is not known
  /// @param secret the secret from which the session's keys are derived
  /// @param limits limits of this SNAPT
  /// @throws RefusedException if the terms are not acceptable; it contains the Refusal
  static Session.Terms of(
      Hello hello,
      @Nullable InetAddress from,
      ApplicationNames applications,
      SessionSecret secret,
      TunnelLimits limits)
      throws RefusedException {
    requireApplications(hello);
    return new Session.Terms(
        HelloTerms.of(hello, secret, limits),
        inner(hello),
        applications.shared(hello.getApplicationsList()),
        PeerText.printable(hello.getSoftware(), SOFTWARE_LENGTH_MAX),
        features(hello),
        from);
  }

  private static Set<Feature> features(Hello hello) {
    Set<Feature> known =
        EnumSet.of(
            Feature.RECEIPTS,
            Feature.CREDIT_NOTICES,
            Feature.RELAY_LISTS,
            Feature.SIGNED_DIRECTORIES,
            Feature.LINE_RATES,
            Feature.MOVES);
    known.retainAll(hello.getFeaturesList());
    return known;
  }

  private static void requireApplications(Hello hello) throws RefusedException {
    if (hello.getApplicationsCount() > APPLICATIONS_MAX) {
      throw malformed("at most 255 applications, got " + hello.getApplicationsCount());
    }
    for (String name : hello.getApplicationsList()) {
      if (!APPLICATION.matcher(name).matches()) {
        throw malformed(
            "an application is named by 1 to 40 of a-z, 0-9 and ._-, got '%s'"
                .formatted(PeerText.printable(name, APPLICATION_SHOWN_MAX)));
      }
    }
  }

  private static InnerAddresses inner(Hello hello) throws RefusedException {
    try {
      return InnerAddresses.of(bytes(hello.getInnerIpv4()), bytes(hello.getInnerIpv6()));
    } catch (IllegalArgumentException e) {
      throw malformed(String.valueOf(e.getMessage()));
    }
  }

  private static byte[] bytes(ByteString address) {
    return address.toByteArray();
  }

  private static RefusedException malformed(String detail) {
    return new RefusedException(RefusalCode.HELLO_MALFORMED, detail);
  }
}
