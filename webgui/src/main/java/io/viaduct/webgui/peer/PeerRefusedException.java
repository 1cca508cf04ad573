package io.viaduct.webgui.peer;

/// The peer understood the request and refused it (4xx other than 401). The type says what kind of
/// refusal it is; the detail is the peer's own sentence in English (RFC 9457 `detail`) and fit to
/// be shown to the visitor. A tariff that billing refuses breaks a rule at a place, and perhaps at
/// a knot.
public final class PeerRefusedException extends RuntimeException {
  /// Stands for a refusal that is of no knot.
  public static final int NO_KNOT = -1;

  private static final long serialVersionUID = 1L;

  private static final String URN = "urn:viaduct:problem:";

  private final int status;
  private final String type;
  private final String detail;
  private final String rule;
  private final String place;
  private final int knot;

  public PeerRefusedException(int status, String detail) {
    this(status, "", detail, "", "", NO_KNOT);
  }

  PeerRefusedException(
      int status, String type, String detail, String rule, String place, int knot) {
    super(status + " " + detail);
    this.status = status;
    this.type = type.startsWith(URN) ? type.substring(URN.length()) : "";
    this.detail = detail;
    this.rule = rule;
    this.place = place;
    this.knot = knot;
  }

  /// HTTP status of the refusal.
  public int status() {
    return status;
  }

  /// Type of the refusal as billing names it, such as `account-exists`; empty if it names none.
  public String type() {
    return type;
  }

  public String detail() {
    return detail;
  }

  /// The rule of tariffs that is broken, such as `KNOT_COUNT`, or empty.
  public String rule() {
    return rule;
  }

  /// The keys that lead to a refused value of a tariff, with points between them, or empty.
  public String place() {
    return place;
  }

  /// The index of a refused knot, from 0 on, or [#NO_KNOT].
  public int knot() {
    return knot;
  }
}
