package io.viaduct.billing.accounting;

/// Names accounting sessions in the form of a protocol. A session has its name before its first
/// record, and keeps it.
///
/// @param expression SQL expression over the first interval `i`, with the parameter `:host`
/// @param host Diameter identity, or empty
public record SessionNaming(String expression, String host) {
  /// Returns names as RFC 6733 section 8.8 recommends: identity, two numbers, session at the SNAPT.
  public static SessionNaming diameter(String host) {
    return new SessionNaming(
        ":host || ';' || (i.id >> 32) || ';' || (i.id & 4294967295) || ';' || i.session_id", host);
  }

  /// Returns names of 16 hexadecimal digits: the tables of many RADIUS servers have 32 or 64
  /// characters for Acct-Session-Id.
  public static SessionNaming radius() {
    return new SessionNaming("lpad(to_hex(i.id), 16, '0')", "");
  }
}
