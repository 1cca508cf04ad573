package io.viaduct.diameter.accounting;

import io.viaduct.diameter.message.AvpBuilder;
import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import java.util.TreeMap;

/// One interval of one service of a session.
///
/// @param sequence Local-Sequence-Number: counts the containers of a session
/// @param ratingGroup Rating-Group, by which the charging system knows the service
/// @param first first packet
/// @param last last packet
/// @param octetsUp from the device, before compression
/// @param octetsDown to the device, before compression
/// @param facts how it was carried, and the octets after compression
public record ServiceUsage(
    long sequence,
    long ratingGroup,
    Instant first,
    Instant last,
    long octetsUp,
    long octetsDown,
    Map<ServiceFact, String> facts) {

  public ServiceUsage {
    if (last.isBefore(first) || octetsUp < 0 || octetsDown < 0) {
      throw new IllegalArgumentException(
          "need first <= last and octets >= 0, got "
              + first
              + ", "
              + last
              + ", "
              + octetsUp
              + ", "
              + octetsDown);
    }
    facts = Map.copyOf(facts);
  }

  /// Writes a Service-Data-Container.
  void writeTo(AvpBuilder information) {
    information.group(
        "Service-Data-Container",
        container -> {
          container
              .add("Accounting-Input-Octets", octetsUp)
              .add("Accounting-Output-Octets", octetsDown)
              .add("Local-Sequence-Number", sequence)
              .add("Rating-Group", ratingGroup)
              .add("Time-First-Usage", first)
              .add("Time-Last-Usage", last)
              .add("Time-Usage", Duration.between(first, last).toSeconds());
          // In the order of the facts, so that equal usage has equal octets.
          new TreeMap<>(facts)
              .forEach((fact, text) ->
                  container.group(
                      "Service-Specific-Info",
                      info ->
                          info.add("Service-Specific-Data", text)
                              .add("Service-Specific-Type", fact.type())));
        });
  }
}
