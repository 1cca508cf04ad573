package io.viaduct.usage;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.protobuf.DescriptorProtos.DescriptorProto;
import com.google.protobuf.DescriptorProtos.EnumDescriptorProto;
import com.google.protobuf.DescriptorProtos.EnumValueDescriptorProto;
import com.google.protobuf.DescriptorProtos.FieldDescriptorProto;
import com.google.protobuf.DescriptorProtos.FileDescriptorProto;
import com.google.protobuf.DescriptorProtos.FileDescriptorSet;
import io.viaduct.usage.v1.QueuedReport;
import io.viaduct.usage.v1.UsageReport;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.Test;

/// Compares the messages that lie in topics and spools with those of the last release. Other
/// versions read them, so a field is never removed, renumbered, renamed or given another type.
///
/// `-Dschema.write=true` writes the present messages: run it with a release, after this test has
/// passed.
class ReleasedSchemaTest {
  private static final Path RELEASED = Path.of("src/test/resources/released-schema.desc");

  private static FileDescriptorSet present() {
    return FileDescriptorSet.newBuilder()
        .addFile(UsageReport.getDescriptor().getFile().toProto())
        .addFile(QueuedReport.getDescriptor().getFile().toProto())
        .build();
  }

  private static FileDescriptorSet released() throws Exception {
    return FileDescriptorSet.parseFrom(Files.readAllBytes(RELEASED));
  }

  @Test
  void everyReleasedFieldAndValueIsStillThere() throws Exception {
    if (Boolean.getBoolean("schema.write")) {
      Files.write(RELEASED, present().toByteArray());
    }
    assertThat(breaks(released(), present())).isEmpty();
  }

  @Test
  void aRemovedARenumberedAndARetypedFieldAreRefused() throws Exception {
    assertThat(breaks(released(), withFirstField(_ -> null)))
        .containsExactly("QueuedReport.report (1) is gone");
    assertThat(breaks(released(), withFirstField(field -> field.toBuilder().setNumber(9).build())))
        .containsExactly("QueuedReport.report (1) is gone");
    assertThat(
            breaks(
                released(),
                withFirstField(field ->
                    field.toBuilder().setType(FieldDescriptorProto.Type.TYPE_BYTES).build())))
        .containsExactly("QueuedReport.report (1) has changed");
  }

  @Test
  void aNewFieldIsAccepted() throws Exception {
    FileDescriptorSet.Builder more = present().toBuilder();
    more.getFileBuilder(1)
        .getMessageTypeBuilder(0)
        .addField(FieldDescriptorProto.newBuilder().setName("more").setNumber(99));
    assertThat(breaks(released(), more.build())).isEmpty();
  }

  private static FileDescriptorSet withFirstField(UnaryOperator<FieldDescriptorProto> edit) {
    FileDescriptorSet.Builder edited = present().toBuilder();
    DescriptorProto.Builder message = edited.getFileBuilder(1).getMessageTypeBuilder(0);
    FieldDescriptorProto field = edit.apply(message.getField(0));
    message.removeField(0);
    if (field != null) {
      message.addField(field);
    }
    return edited.build();
  }

  private static List<String> breaks(FileDescriptorSet released, FileDescriptorSet present) {
    Map<String, Object> known = index(present);
    List<String> broken = new ArrayList<>();
    index(released)
        .forEach((name, before) -> {
          Object now = known.get(name);
          if (now == null) {
            broken.add(name + " is gone");
          } else if (!now.equals(before)) {
            broken.add(name + " has changed");
          }
        });
    return broken;
  }

  private static Map<String, Object> index(FileDescriptorSet schema) {
    Map<String, Object> all = new HashMap<>();
    for (FileDescriptorProto file : schema.getFileList()) {
      for (DescriptorProto message : file.getMessageTypeList()) {
        for (FieldDescriptorProto field : message.getFieldList()) {
          all.put(
              "%s.%s (%d)".formatted(message.getName(), field.getName(), field.getNumber()),
              field.toBuilder().clearOptions().build());
        }
      }
      for (EnumDescriptorProto values : file.getEnumTypeList()) {
        for (EnumValueDescriptorProto value : values.getValueList()) {
          all.put("%s.%s (%d)".formatted(values.getName(), value.getName(), value.getNumber()), "");
        }
      }
    }
    return all;
  }
}
