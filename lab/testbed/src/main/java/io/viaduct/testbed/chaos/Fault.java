package io.viaduct.testbed.chaos;

import java.util.Arrays;
import java.util.List;

/// A fault that a point injects. A lasting fault is taken back after a time that the plan draws.
enum Fault {
  BILLING_KILLED("SIGKILL of billing"),
  DATABASE_KILLED("SIGKILL of PostgreSQL"),
  DATABASE_STOPPED("immediate stop of PostgreSQL"), // the signal of `pg_ctl stop -m immediate`
  BRIDGE_KILLED("SIGKILL of the bridge"),
  SNAPT_1_KILLED("SIGKILL of snapt-1"),
  SNAPT_2_KILLED("SIGKILL of snapt-2"),
  AGENT_1_KILLED("SIGKILL of alice's agent"),
  AGENT_2_KILLED("SIGKILL of bob's agent"),
  DEVICE_SNAPT_1_CUT("device | snapt-1 cut", true),
  DEVICE_SNAPT_2_CUT("device | snapt-2 cut", true),
  DEVICE_BRIDGE_CUT("device | bridge cut", true),
  SNAPT_1_BRIDGE_CUT("snapt-1 | bridge cut", true),
  SNAPT_2_BRIDGE_CUT("snapt-2 | bridge cut", true),
  BRIDGE_BILLING_CUT("bridge | billing cut", true),
  DATABASE_CUT("billing | PostgreSQL cut", true),
  DATABASE_FROZEN("PostgreSQL frozen", true),
  SNAPT_1_DISK_FULL("disk of snapt-1 full", true),
  SNAPT_2_DISK_FULL("disk of snapt-2 full", true),
  DATABASE_DISK_FULL("disk of PostgreSQL full", true),
  BROKER_KILLED("SIGKILL of the broker", false, true),
  BROKER_FROZEN("broker frozen", true, true),
  BRIDGE_BROKER_CUT("bridge | broker cut", true, true),
  BILLING_BROKER_CUT("billing | broker cut", true, true);

  private final String text;
  private final boolean isLasting;
  private final boolean needsBroker;

  Fault(String text) {
    this(text, false);
  }

  Fault(String text, boolean isLasting) {
    this(text, isLasting, false);
  }

  Fault(String text, boolean isLasting, boolean needsBroker) {
    this.text = text;
    this.isLasting = isLasting;
    this.needsBroker = needsBroker;
  }

  /// Returns the faults of a run.
  static List<Fault> of(Transport transport) {
    return Arrays.stream(values())
        .filter(fault -> transport == Transport.KAFKA || !fault.needsBroker)
        .toList();
  }

  /// Returns true if the fault stays until it is taken back.
  boolean isLasting() {
    return isLasting;
  }

  @Override
  public String toString() {
    return text;
  }
}
