package io.viaduct.billing.credit;

import io.viaduct.billing.tariff.ServiceClass;
import java.util.Comparator;

/// The traffic of one application in one class of service, which has a quota of its own. Sorted by
/// the priority of the class.
///
/// @param name name in the classification table
record Application(String name, ServiceClass serviceClass) implements Comparable<Application> {
  /// A call whose seconds another node counts. A SNAPT may have an application of this name; its
  /// sessions are others.
  static final Application CALL = new Application("call", ServiceClass.HT_LD);

  private static final Comparator<Application> ORDER =
      Comparator.comparing(Application::serviceClass).thenComparing(Application::name);

  @Override
  public int compareTo(Application other) {
    return ORDER.compare(this, other);
  }
}
