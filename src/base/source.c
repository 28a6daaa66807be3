// SPDX-License-Identifier: Apache-2.0
/* base/source.c: random access to bytes. Files are read with pread, never mapped: a truncated one gives an error, not a
 * signal. */
#include "base/io.h"
#include "base/source.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

tfp_status tfp_source_open(tfp_source *s, const char *path, tfp_error *err)
{
    struct stat st;
    *s = (tfp_source){ .fd = -1 };
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    if (fd < 0) return tfp_fail_errno(err, "cannot open");
    if (fstat(fd, &st) != 0 || !S_ISREG(st.st_mode)) {
        close(fd);
        return tfp_fail(err, TFP_BADFILE, "not a regular file");
    }
    s->fd = fd;
    s->size = (uint64_t)st.st_size;
    return TFP_OK;
}

tfp_source tfp_source_memory(tfp_str bytes)
{
    return (tfp_source){ .data = bytes.data ? bytes.data : "", .fd = -1, .size = bytes.size };
}

tfp_status tfp_source_read(const tfp_source *s, uint64_t offset, void *to, size_t size, tfp_error *err)
{
    if (offset > s->size || size > s->size - offset)
        return tfp_fail(err, TFP_BADFILE, "%zu bytes at byte %llu reach past its end at byte %llu", size,
                        (unsigned long long)offset, (unsigned long long)s->size);
    if (s->data) {
        if (size) memcpy(to, s->data + offset, size);
        return TFP_OK;
    }
    for (size_t done = 0; done < size;) {
        ssize_t n = pread(s->fd, (char *)to + done, size - done, (off_t)(offset + done));
        if (n < 0 && errno == EINTR) continue;
        if (n < 0) return tfp_fail_errno(err, "cannot read");
        if (n == 0) return tfp_fail(err, TFP_BADFILE, "the file became shorter while it was read");
        done += (size_t)n;
    }
    return TFP_OK;
}

void tfp_source_close(tfp_source *s)
{
    if (!s->data && s->fd > 0) close(s->fd);
    *s = (tfp_source){ .fd = -1 };
}

ssize_t tfp_read_some(int fd, void *to, size_t size)
{
    ssize_t n;
    do n = read(fd, to, size);
    while (n < 0 && errno == EINTR);
    return n;
}
