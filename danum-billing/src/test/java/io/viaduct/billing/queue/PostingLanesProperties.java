package io.viaduct.billing.queue;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import net.jqwik.api.constraints.Size;
import org.apache.kafka.clients.consumer.ConsumerRecord;

class PostingLanesProperties {
  @Property
  void eachRecordIsInOneLaneAndAnAccountKeepsItsOrder(
      @ForAll @Size(max = 200) List<@IntRange(max = 9) Integer> accounts,
      @ForAll @IntRange(min = 1, max = 8) int lanes,
      @ForAll @IntRange(min = 1, max = 64) int share) {
    List<ConsumerRecord<byte[], byte[]>> records = PostingLanesTest.records(accounts);
    List<List<ConsumerRecord<byte[], byte[]>>> split = PostingLanes.split(records, lanes, share);
    assertThat(split).hasSizeLessThanOrEqualTo(Math.clamp(records.size() / share, 1, lanes));
    assertThat(split.stream().flatMap(List::stream)).containsExactlyInAnyOrderElementsOf(records);
    Map<String, List<ConsumerRecord<byte[], byte[]>>> before =
        records.stream().collect(Collectors.groupingBy(PostingLanesTest::account));
    Set<String> seen = new HashSet<>();
    for (List<ConsumerRecord<byte[], byte[]>> lane : split) {
      lane.stream()
          .collect(Collectors.groupingBy(PostingLanesTest::account))
          .forEach((account, inLane) -> {
            assertThat(seen.add(account)).as("%s is in one lane", account).isTrue();
            assertThat(inLane).isEqualTo(before.get(account));
          });
    }
  }
}
