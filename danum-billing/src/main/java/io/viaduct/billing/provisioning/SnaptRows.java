package io.viaduct.billing.provisioning;

import com.google.protobuf.ByteString;
import io.viaduct.billing.snapts.Snapt;
import io.viaduct.billing.snapts.Snapts;
import io.viaduct.billing.tariff.ServiceClass;
import io.viaduct.billing.tariff.Surcharge;
import io.viaduct.billing.tariff.SurchargeBook;
import io.viaduct.billing.tariff.SurchargeVersion;
import io.viaduct.usage.v1.EnrolledSnapt;
import io.viaduct.usage.v1.SnaptEvent;
import io.viaduct.usage.v1.SurchargeTerms;
import java.time.InstantSource;
import java.util.Base64;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SequencedMap;

/// Reads enrolled SNAPTs for the bridges, with the surcharges of their owners: the version in force
/// and all later ones, so that the bridge needs no message when one begins.
final class SnaptRows implements DirectoryWatch.Directory<SnaptEvent> {
  private static final double MICRODENARII_PER_DENARIUS = 1e6;
  private static final double MEGABYTES_PER_GIGABYTE = 1e3;

  private final Snapts snapts;
  private final SurchargeBook surcharges;
  private final InstantSource clock;

  SnaptRows(Snapts snapts, SurchargeBook surcharges, InstantSource clock) {
    this.snapts = snapts;
    this.surcharges = surcharges;
    this.clock = clock;
  }

  @Override
  public String name() {
    return "snapts";
  }

  @Override
  public SequencedMap<String, SnaptEvent> page(String after, int limit) {
    List<Snapt> rows = snapts.page(null, after, limit);
    Map<String, List<SurchargeVersion>> asked =
        surcharges.of(rows.stream().map(row -> row.facts().owner()).distinct().toList());
    SequencedMap<String, SnaptEvent> page = new LinkedHashMap<>();
    rows.forEach(
        row -> page.put(row.id(), event(row, asked.getOrDefault(row.facts().owner(), List.of()))));
    return page;
  }

  @Override
  public SnaptEvent event(String id) {
    Optional<Snapt> row = snapts.find(id);
    return row.isPresent()
        ? event(row.get(), surcharges.of(row.get().facts().owner()))
        : SnaptEvent.newBuilder().setRemoved(id).build();
  }

  @Override
  public SnaptEvent complete() {
    return SnaptEvent.newBuilder().setComplete(true).build();
  }

  private SnaptEvent event(Snapt row, List<SurchargeVersion> asked) {
    EnrolledSnapt.Builder snapt =
        EnrolledSnapt.newBuilder()
            .setSnaptId(row.id())
            .setReportKey(ByteString.copyFrom(Base64.getDecoder().decode(row.facts().reportKey())))
            .setOwner(row.facts().owner())
            .setRegion(row.facts().region())
            .setLineRate(row.facts().lineRate().orElse(0L));
    row.certificateKey()
        .ifPresent(
            key -> snapt.setCertificateKey(ByteString.copyFrom(Base64.getDecoder().decode(key))));
    SurchargeBook.schedule(asked, clock.instant())
        .all()
        .forEach(each -> snapt.addSurcharges(terms(each)));
    return SnaptEvent.newBuilder().setSnapt(snapt).build();
  }

  private static SurchargeTerms terms(SurchargeVersion version) {
    SurchargeTerms.Builder terms =
        SurchargeTerms.newBuilder()
            .setVersion(version.version())
            .setFromMs(version.effectiveFrom().toEpochMilli());
    for (ServiceClass each : ServiceClass.values()) {
      terms.addMicrodenariiPerGigabyte(perGigabyte(version.surcharge(), each));
    }
    return terms.build();
  }

  private static long perGigabyte(Surcharge surcharge, ServiceClass of) {
    return Math.round(surcharge.of(of) * MICRODENARII_PER_DENARIUS * MEGABYTES_PER_GIGABYTE);
  }
}
