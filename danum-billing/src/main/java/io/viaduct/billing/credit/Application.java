package io.viaduct.billing.credit;

import io.viaduct.billing.tariff.ServiceClass;
import java.util.Comparator;

/// What a quota is for: the traffic of one application in one class of service. Sorted by the
/// priority of the class.
///
/// @param name name in the classification table
record Application(String name, ServiceClass serviceClass) implements Comparable<Application> {
  private static final Comparator<Application> ORDER =
      Comparator.comparing(Application::serviceClass).thenComparing(Application::name);

  @Override
  public int compareTo(Application other) {
    return ORDER.compare(this, other);
  }
}
