package io.viaduct.diameter.peer;

import java.net.InetAddress;
import java.util.List;
import java.util.Set;

/// A node in its own words: the AVPs of its capabilities exchange.
///
/// @param host Origin-Host, a fully qualified domain name
/// @param realm Origin-Realm
/// @param addresses Host-IP-Address; at least one
/// @param product Product-Name
/// @param originState Origin-State-Id: grows with each start, as Unix seconds do
/// @param authApplications Auth-Application-Id, such as 4 for credit control
/// @param accountingApplications Acct-Application-Id, such as 3 for accounting
/// @param vendors Supported-Vendor-Id, such as 10415 for 3GPP
public record NodeIdentity(
    String host,
    String realm,
    List<InetAddress> addresses,
    String product,
    long originState,
    Set<Long> authApplications,
    Set<Long> accountingApplications,
    Set<Long> vendors) {
  /// Application-Id of base accounting, Rf.
  public static final long ACCOUNTING = 3;

  /// Application-Id of credit control, Ro.
  public static final long CREDIT_CONTROL = 4;

  /// Vendor-Id of 3GPP.
  public static final long VENDOR_3GPP = 10_415;

  public NodeIdentity {
    if (host.isEmpty() || realm.isEmpty() || addresses.isEmpty()) {
      throw new IllegalArgumentException("need a host, a realm and an address");
    }
    if (authApplications.isEmpty() && accountingApplications.isEmpty()) {
      throw new IllegalArgumentException("need an application");
    }
    addresses = List.copyOf(addresses);
    authApplications = Set.copyOf(authApplications);
    accountingApplications = Set.copyOf(accountingApplications);
    vendors = Set.copyOf(vendors);
  }

  /// Returns the identity of a node that speaks Rf and Ro.
  public static NodeIdentity charging(
      String host, String realm, List<InetAddress> addresses, long originState) {
    return new NodeIdentity(
        host,
        realm,
        addresses,
        "Viaduct",
        originState,
        Set.of(CREDIT_CONTROL),
        Set.of(ACCOUNTING),
        Set.of(VENDOR_3GPP));
  }

  boolean has(long application) {
    return authApplications.contains(application) || accountingApplications.contains(application);
  }
}
