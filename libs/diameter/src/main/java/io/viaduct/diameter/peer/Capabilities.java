package io.viaduct.diameter.peer;

import io.viaduct.diameter.message.AvpGroup;
import io.viaduct.diameter.message.AvpValue;
import java.util.HashSet;
import java.util.Locale;
import java.util.Set;
import java.util.stream.Stream;

/// A peer's word in the capabilities exchange (RFC 6733 section 5.3). Host-IP-Address, Vendor-Id
/// and Product-Name are not needed, because real peers leave them out.
///
/// @param host Origin-Host in lower case
/// @param applications Application-Ids that the peer supports
record Capabilities(String host, Set<Long> applications) {
  private static final long RELAY = 0xFFFF_FFFFL;

  static Capabilities of(AvpGroup avps) {
    Set<Long> applications = new HashSet<>();
    Stream.concat(Stream.of(avps), avps.groups("Vendor-Specific-Application-Id"))
        .forEach(group ->
            Stream.of("Auth-Application-Id", "Acct-Application-Id")
                .flatMap(group::all)
                .forEach(avp -> applications.add(((AvpValue.Whole) avp.value()).number())));
    return new Capabilities(
        avps.text("Origin-Host").orElse("").toLowerCase(Locale.ROOT), Set.copyOf(applications));
  }

  /// Returns true if the peer takes requests of an application; a relay takes all.
  boolean supports(long application) {
    return applications.contains(application) || applications.contains(RELAY);
  }

  /// Returns true if the peer and this node have an application in common.
  boolean fits(NodeIdentity own) {
    return Stream.concat(own.authApplications().stream(), own.accountingApplications().stream())
        .anyMatch(this::supports);
  }
}
